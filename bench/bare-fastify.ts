import Fastify from 'fastify';

/** The least that Fastify can do: one route, one schema for its answer, no logger, no hook. */
const app = Fastify({ logger: false });
app.get(
  '/ping',
  {
    schema: {
      response: {
        200: {
          type: 'object',
          required: ['status'],
          additionalProperties: false,
          properties: { status: { type: 'string' } },
        },
      },
    },
  },
  async () => ({ status: 'pass' }),
);
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ url });
process.on('disconnect', () => process.exit(0));
