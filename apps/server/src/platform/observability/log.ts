import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import pino from 'pino';
import type { Settings } from '#platform/config/settings.ts';
import { StartError } from '#platform/start-error.ts';

export type Log = pino.Logger;

/** Structured logs. Anything that looks like a secret is blacked out, should it ever get into an object that is logged. */
export function openLog(settings: Pick<Settings, 'logLevel' | 'logFile'>): Log {
  const options: pino.LoggerOptions = {
    level: settings.logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: [
        '*.authorization',
        '*.password',
        '*.secret',
        '*.clientSecret',
        '*.client_secret',
        '*.connectionString',
      ],
      censor: '[secret]',
    },
  };
  if (settings.logFile === undefined) return pino(options, pino.destination({ fd: 1, sync: true }));
  checkWritable(settings.logFile);
  return pino(options, pino.destination({ dest: settings.logFile, sync: false, mkdir: true }));
}

/** The logger opens its file later, and its failure would end the process with a stack instead of a reason. */
function checkWritable(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    closeSync(openSync(file, 'a'));
  } catch (error) {
    const reason = (error as Error).message;
    throw new StartError(`Tenantry cannot write to ${file}, its log file: ${reason}`, { cause: error });
  }
}
