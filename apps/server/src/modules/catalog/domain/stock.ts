import { decimalText, LARGEST, millionths } from '#kernel/decimal.ts';
import type { Refused } from '#kernel/decision.ts';
import type { Product } from './product.ts';

export const MOVEMENT_KINDS = ['adjustment', 'sale', 'return', 'migration'] as const;

/** One line of a product's ledger. Lines are numbered from 1, never changed and never taken away. */
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
