import { runOnNode24 } from '../node-version.js';

await runOnNode24(() => import('./run.ts'));
