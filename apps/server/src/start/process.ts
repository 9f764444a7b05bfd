import { systemClock } from '#kernel/clock.ts';
import type { Settings } from '#platform/config/settings.ts';
import type { Log } from '#platform/observability/log.ts';
import { createPlatform, type Platform } from '#platform/platform.ts';
import { startApi } from './api-process.ts';
import { startHousekeeping } from './housekeeping.ts';

interface ProcessOptions {
  readonly settings: Settings;
  readonly appUrl: string;
  readonly instanceKey: Buffer;
  readonly log: Log;
  readonly serves: boolean;
  readonly housekeeping: 'all' | 'keysOnly';
  /** Runs when the database answers and before anything is served. */
  readonly prepare?: (platform: Platform) => Promise<void>;
}

export interface RunningProcess {
  stop(): Promise<void>;
}

/** One process of a node: connected, hearing announcements, knowing its keys; answering requests if it is to. */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const { settings, log } = options;
  const { appUrl: databaseUrl, instanceKey } = options;
  const platform = createPlatform({ settings, databaseUrl, instanceKey, clock: systemClock, log });
  const close = async (): Promise<void> => {
    await Promise.all([platform.db.close(), platform.limiter.close()]);
  };
  try {
    await platform.db.announcements.listen();
    await options.prepare?.(platform);
    await platform.keys.reload();
    await platform.keys.rotate();
    const stopHousekeeping = startHousekeeping(platform, options.housekeeping);
    const api = options.serves ? await startApi(platform) : undefined;
    return {
      stop: async () => {
        await api?.stop();
        stopHousekeeping();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
