import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Cleanup } from './cleanup.ts';
import { measurePair, type PairResult, type Plan } from './measure.ts';
import { type Memory, measureMemory } from './memory.ts';
import { pairs } from './pairs.ts';
import { memoryTable, pairsTable } from './report.ts';
import { setStage } from './stage.ts';

/**
 * `npm run bench`: our server against bare ones, both on this machine. Prints a table and writes results.json; ends
 * with an error if any answer was not a 2xx or a target was missed.
 * `--quick` only shows that everything answers: its figures are too short to be judged, and are not written.
 * `--only <text>` takes the pairs whose name holds the text.
 */
const { values: options } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } });
const isQuick = options.quick === true;
const wanted = pairs.filter(({ name }) => options.only === undefined || name.includes(options.only));
if (wanted.length === 0) {
  console.error(`No pair matches "${options.only}". There are: ${pairs.map(({ name }) => name).join(', ')}.`);
  process.exit(1);
}

const plan: Plan = isQuick
  ? { rounds: 1, seconds: 2, warmUpSeconds: 1 }
  : { rounds: 5, seconds: 10, warmUpSeconds: 5 };
const MEMORY_REQUESTS = 20_000;
const RESULTS = new URL('results.json', import.meta.url);

const cleanup = new Cleanup();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void cleanup.run().then(() => process.exit(1)));
}
try {
  process.exitCode = (await bench()) || isQuick ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await cleanup.run();
}

/** Whether all targets are met. */
async function bench(): Promise<boolean> {
  const cores = availableParallelism();
  if (cores !== 2) console.error(`The targets are meant for two cores; this machine has ${cores}.`);
  const stage = await setStage(cleanup);

  // First, while nobody has done anything yet.
  const memory =
    options.only === undefined && !isQuick ? await measureMemory(stage, MEMORY_REQUESTS) : undefined;
  if (memory !== undefined) console.error(`memory: ${memory.ratio.toFixed(2)}`);
  const results: PairResult[] = [];
  for (const pair of wanted) {
    const result = await measurePair(pair, stage, plan);
    console.error(`${pair.name}: ${result.ratio}`);
    results.push(result);
  }

  console.log(`\n${pairsTable(results)}\n`);
  if (memory !== undefined) console.log(`${memoryTable(memory)}\n`);
  if (memory !== undefined) await keep(cores, results, memory);
  return results.every(({ verdict }) => verdict !== 'target missed') && memory?.isMet !== false;
}

async function keep(cores: number, results: readonly PairResult[], memory: Memory): Promise<void> {
  const about = {
    date: new Date().toISOString(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cores,
  };
  await writeFile(RESULTS, `${JSON.stringify({ ...about, plan, pairs: results, memory }, null, 2)}\n`);
}
