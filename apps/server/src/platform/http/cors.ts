import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** Lets pages of the given origins call the API from a browser; without any, none may. */
export async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await app.register(cors, {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    strictPreflight: false,
    preflightContinue: true, // OPTIONS goes on to its route, which tells the methods of the path
    exposedHeaders: [
      'ETag',
      'Location',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'Idempotent-Replayed',
      'X-Request-Id',
    ],
    maxAge: 600,
  });
}
