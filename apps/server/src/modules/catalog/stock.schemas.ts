import { type Static, Type } from 'typebox';
import { DecimalText, Nullable, OneOf, Strict, Timestamp, Uuid } from '#platform/http/schemas.ts';
import { MOVEMENT_KINDS, type StockMovement } from './domain/stock.ts';

export const StockMovementResource = Strict(
  {
    id: Uuid(),
    productId: Uuid(),
    kind: OneOf(MOVEMENT_KINDS),
    quantity: DecimalText('What came in; what went out is negative.'),
    balance: DecimalText('What was on hand after it.'),
    reason: Nullable(Type.String()),
    reference: Nullable(Type.String()),
    invoiceId: Nullable(Uuid('The invoice that moved it.')),
    createdAt: Timestamp(),
  },
  { title: 'StockMovement' },
);

export const presentMovement = (movement: StockMovement): Static<typeof StockMovementResource> => ({
  id: movement.id,
  productId: movement.productId,
  kind: movement.kind,
  quantity: movement.quantity,
  balance: movement.balance,
  reason: movement.reason,
  reference: movement.reference,
  invoiceId: movement.invoiceId,
  createdAt: movement.createdAt.toISOString(),
});
