import { newId } from '#kernel/ids.ts';
import type { Statement } from './group-query.ts';
import { insertRows } from './write-rows.ts';

/** Something that happened and that others may want to hear of. */
export interface DomainEvent {
  /** `product.created`, `stock.adjusted`. */
  readonly type: string;
  readonly resourceId: string;
  /** The resource as its GET shows it. */
  readonly data: unknown;
}

const insert = insertRows('outbox_event', ['id', 'type', 'resource_id', 'data', 'occurred_at']);

/** All events of a transaction in one insert: committed with the change that they tell of, or not at all. */
export const outboxInsert = (events: readonly DomainEvent[], at: Date): Statement =>
  insert(
    events.map(({ type, resourceId, data }) => ({
      id: newId(),
      type,
      resource_id: resourceId,
      data: JSON.stringify(data),
      occurred_at: at,
    })),
  );
