import type { FastifyReply } from 'fastify';

/** Gives the raw response away, with the headers that every answer carries, to somebody who writes it himself. */
export function handOver(reply: FastifyReply): FastifyReply['raw'] {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.hijack();
  return reply.raw;
}
