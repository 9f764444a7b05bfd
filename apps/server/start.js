import { existsSync } from 'node:fs';
import { runOnNode24 } from './node-version.js';

await runOnNode24(() => {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return import('./src/main.ts');
});
