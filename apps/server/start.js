import { existsSync } from 'node:fs';
import { runOnNode24 } from './node-version.js';

if (existsSync('.env')) process.loadEnvFile('.env');
await runOnNode24(() => import('./src/main.ts'));
