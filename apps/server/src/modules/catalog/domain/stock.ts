import { decimalText, LARGEST, millionths } from '#kernel/decimal.ts';
import { isRefused, type Refused } from '#kernel/decision.ts';
import type { Product } from './product.ts';

export const MOVEMENT_KINDS = ['adjustment', 'sale', 'return', 'migration'] as const;

/** One line of a product's ledger (ADR 0016). Lines are numbered from 1, never changed and never taken away. */
export interface StockMovement {
  readonly id: string;
  readonly productId: string;
  readonly number: number;
  readonly kind: (typeof MOVEMENT_KINDS)[number];
  readonly quantity: string;
  /** What is on hand after it: the sum of all quantities up to here. */
  readonly balance: string;
  readonly reason: string | null;
  readonly reference: string | null;
  readonly invoiceId: string | null;
  readonly createdAt: Date;
}

interface NewMovement {
  readonly id: string;
  readonly kind: StockMovement['kind'];
  readonly quantity: string;
  readonly reason: string | null;
  readonly reference: string | null;
}

interface Moved {
  readonly product: Product;
  readonly movement: StockMovement;
}

/** Why a product cannot begin with so much on hand, to be read after `stockOnHand`. */
export function openingStockFault({
  stockOnHand = 0,
  trackStock = false,
  stockPolicy = 'deny',
}: Opening): string | undefined {
  const opening = millionths(String(stockOnHand));
  if (opening !== 0n && !trackStock)
    return 'needs trackStock: true; the stock of this product is not tracked';
  if (opening < 0n && stockPolicy === 'deny') return 'must be at least 0 while stockPolicy is deny';
  return undefined;
}

interface Opening {
  readonly stockOnHand?: string | number;
  readonly trackStock?: boolean;
  readonly stockPolicy?: Product['stockPolicy'];
}

type StockRefusal = 'stock-not-tracked' | 'insufficient-stock' | 'stock-out-of-range';

/** Moves stock and writes it down: the balance changes by nothing else. */
export function moveStock(product: Product, asked: NewMovement, now: Date): Moved | Refused<StockRefusal> {
  if (!product.trackStock) {
    return { refusal: 'stock-not-tracked', detail: `The stock of ${product.sku} is not tracked.` };
  }
  const quantity = millionths(asked.quantity);
  const balance = millionths(product.stockOnHand) + quantity;
  // What brings a balance below zero nearer to it is always welcome.
  if (balance < 0n && quantity < 0n && product.stockPolicy === 'deny') {
    return {
      refusal: 'insufficient-stock',
      detail: `${product.sku} has ${product.stockOnHand} on hand, and ${decimalText(-quantity)} would be taken.`,
    };
  }
  if (balance > LARGEST || balance < -LARGEST) {
    return {
      refusal: 'stock-out-of-range',
      detail: `The stock of ${product.sku} would be ${decimalText(balance)}, which is beyond what can be kept.`,
    };
  }
  const number = product.movementCount + 1;
  return {
    product: {
      ...product,
      stockOnHand: decimalText(balance),
      movementCount: number,
      version: product.version + 1,
      updatedAt: now,
    },
    movement: {
      ...asked,
      number,
      quantity: decimalText(quantity),
      productId: product.id,
      balance: decimalText(balance),
      invoiceId: null,
      createdAt: now,
    },
  };
}

/**
 * What is on hand to begin with is the first movement of the ledger. The product comes into being with it, so this is
 * no change and its version stays.
 */
export function openStock(
  product: Product,
  { id, quantity }: Pick<NewMovement, 'id' | 'quantity'>,
  now: Date,
): Moved | Refused<StockRefusal> {
  const opening = { id, kind: 'adjustment', quantity, reason: 'Opening stock', reference: null } as const;
  const moved = moveStock(product, opening, now);
  if (isRefused(moved)) return moved;
  return { ...moved, product: { ...moved.product, version: product.version } };
}
