import Fastify from 'fastify';
import pg from 'pg';
import { newId } from '../apps/server/src/kernel/ids.ts';
import {
  contentOf,
  type GivenProduct,
  newProduct,
} from '../apps/server/src/modules/catalog/domain/product.ts';
import { presentProduct } from '../apps/server/src/modules/catalog/product.schemas.ts';
import { insertProduct } from '../apps/server/src/modules/catalog/product.store.ts';
import { Announcements } from '../apps/server/src/platform/db/announcements.ts';
import { News } from '../apps/server/src/platform/db/news.ts';
import { TenantScope } from '../apps/server/src/platform/db/tenant-tx.ts';
import { Transaction } from '../apps/server/src/platform/db/transaction.ts';

/**
 * A Fastify route that creates a product by the very statements that our server sends, in one write, and does nothing
 * else: nobody is authenticated or limited, nothing is validated or made idempotent.
 */
const { databaseUrl, tenantId, poolSize } = JSON.parse(process.argv[2] ?? '{}') as {
  databaseUrl: string;
  tenantId: string;
  poolSize: number;
};

const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize, pipeline: true } as pg.PoolConfig);
const opening = TenantScope.opening(tenantId);
const noNews = new News(new Announcements(databaseUrl)); // connects only when it is told to listen
const actor = {
  kind: 'client',
  id: newId(),
  name: 'bench',
  ipAddress: '127.0.0.1',
  traceId: newId().replaceAll('-', ''),
} as const;

const app = Fastify({ logger: false });
app.post<{ Body: GivenProduct }>('/catalog/products', async (request, reply) => {
  const now = new Date();
  const product = newProduct(contentOf(request.body), newId(), now);
  const transaction = new Transaction(() => pool.connect(), opening);
  const scope = new TenantScope(transaction, tenantId, noNews);
  insertProduct(scope.tx, product);
  await transaction.commit(scope.closing(actor, now));
  reply.status(201);
  return presentProduct(product);
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ url });
process.on('disconnect', () => process.exit(0));
