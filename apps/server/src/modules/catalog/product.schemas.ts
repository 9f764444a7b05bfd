import { type Static, Type } from 'typebox';
import {
  DecimalInput,
  DecimalText,
  IdOf,
  Line,
  NAME_LENGTH,
  Nullable,
  OneOf,
  Strict,
  TEXT_LENGTH,
  Timestamp,
  Uuid,
} from '#platform/http/schemas.ts';
import {
  KINDS,
  type Product,
  STATUSES,
  STOCK_POLICIES,
  TAX_CATEGORIES,
  taxRateFault,
} from './domain/product.ts';

export const ProductPath = Strict({ id: IdOf('product', 'The id of the product.') });

const SKU_LENGTH = 64;
const DESCRIPTION_LENGTH = 10_000;
const TAGS_MAX = 50;
const METADATA_MAX = 50;
const METADATA_KEY_LENGTH = 100;

export const Tag = Type.String({ maxLength: TEXT_LENGTH, pattern: '\\S', format: 'label' });

const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: METADATA_MAX,
  propertyNames: { minLength: 1, maxLength: METADATA_KEY_LENGTH },
  additionalProperties: { type: 'string', maxLength: TEXT_LENGTH },
  description: `Up to ${METADATA_MAX} pairs of strings of your own.`,
});

/** What may be said of a product, when it is created and when it is replaced. */
export const productContent = {
  sku: Line(SKU_LENGTH, 'Your code for it. Unique in the workspace, whatever its case.'),
  name: Line(NAME_LENGTH),
  description: Type.Optional(Nullable(Type.String({ maxLength: DESCRIPTION_LENGTH }))),
  kind: Type.Optional(OneOf(KINDS, { description: 'goods unless given' })),
  status: Type.Optional(OneOf(STATUSES, { description: 'active unless given' })),
  unit: Type.Optional(
    Type.String({
      format: 'unit',
      description: 'A code of UN/ECE Recommendation 20; C62 (one) unless given.',
    }),
  ),
  price: DecimalInput({ minimum: '0' }, 'The price of one unit, up to 6 decimals.'),
  currency: Type.String({ format: 'currency', description: 'A code of ISO 4217.' }),
  taxCategory: Type.Optional(
    OneOf(TAX_CATEGORIES, { description: 'The VAT category of EN 16931; S unless given.' }),
  ),
  taxRate: Type.Optional(
    DecimalInput(
      { minimum: '0', maximum: '100' },
      'In percent; 0 unless given, and always for categories but S.',
    ),
  ),
  barcode: Type.Optional(Nullable(Type.String({ format: 'gtin', description: 'A GTIN.' }))),
  category: Type.Optional(Nullable(Line(TEXT_LENGTH))),
  tags: Type.Optional(
    Type.Array(Tag, { maxItems: TAGS_MAX, description: 'Those that differ in case only are one.' }),
  ),
  trackStock: Type.Optional(Type.Boolean({ description: 'Whether stock is kept; false unless given.' })),
  stockPolicy: Type.Optional(
    OneOf(STOCK_POLICIES, { description: 'Whether stock may fall below zero; deny unless given.' }),
  ),
  reorderPoint: Type.Optional(
    Nullable(DecimalInput({ minimum: '0' }, 'The stock at which it should be ordered again.')),
  ),
  metadata: Type.Optional(Metadata),
};

export const taxRule = { about: ['taxRate', 'taxCategory'], fault: taxRateFault } as const;

export const ProductResource = Strict(
  {
    id: Uuid(),
    sku: Type.String(),
    name: Type.String(),
    description: Nullable(Type.String()),
    kind: OneOf(KINDS),
    status: OneOf(STATUSES),
    unit: Type.String({ description: 'A code of UN/ECE Recommendation 20.' }),
    price: DecimalText('The price of one unit, with at least the decimals of its currency.'),
    currency: Type.String({ description: 'A code of ISO 4217.' }),
    taxCategory: OneOf(TAX_CATEGORIES),
    taxRate: DecimalText('In percent.'),
    barcode: Nullable(Type.String({ description: 'A GTIN.' })),
    category: Nullable(Type.String()),
    tags: Type.Array(Type.String()),
    trackStock: Type.Boolean(),
    stockOnHand: DecimalText('The sum of the stock movements.'),
    stockPolicy: OneOf(STOCK_POLICIES),
    reorderPoint: Nullable(DecimalText('The stock at which it should be ordered again.')),
    metadata: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
    }),
    version: Type.Integer(),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Product' },
);

export const presentProduct = (product: Product): Static<typeof ProductResource> => ({
  id: product.id,
  sku: product.sku,
  name: product.name,
  description: product.description,
  kind: product.kind,
  status: product.status,
  unit: product.unit,
  price: product.price,
  currency: product.currency,
  taxCategory: product.taxCategory,
  taxRate: product.taxRate,
  barcode: product.barcode,
  category: product.category,
  tags: product.tags as string[],
  trackStock: product.trackStock,
  stockOnHand: product.stockOnHand,
  stockPolicy: product.stockPolicy,
  reorderPoint: product.reorderPoint,
  metadata: product.metadata,
  version: product.version,
  createdAt: product.createdAt.toISOString(),
  updatedAt: product.updatedAt.toISOString(),
});
