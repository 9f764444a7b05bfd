import { apiClientsModule } from '#modules/api-clients/module.ts';
import { catalogModule } from '#modules/catalog/module.ts';
import { referenceModule } from '#modules/reference/module.ts';
import { systemModule } from '#modules/system/module.ts';
import { tenantsModule } from '#modules/tenants/module.ts';
import { tokensModule } from '#modules/tokens/module.ts';
import type { Module } from '#platform/http/module.ts';
import type { Platform } from '#platform/platform.ts';

/** The whole product, area by area. */
export const allModules = (platform: Platform): Module[] => [
  tokensModule(platform),
  tenantsModule(platform),
  apiClientsModule(platform),
  catalogModule,
  systemModule(platform),
  referenceModule(platform),
];
