import pino from 'pino';
import type { Settings } from '#platform/config/settings.ts';

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
  return pino(options, pino.destination({ dest: settings.logFile, sync: false, mkdir: true }));
}
