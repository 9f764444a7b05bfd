import type { Settings } from '#platform/config/settings.ts';
import type { Module } from '#platform/http/module.ts';
import { getAssetsBaseUrlRoute } from './operations/get-assets-base-url.ts';
import { listCurrenciesRoute } from './operations/list-currencies.ts';

export const referenceModule = ({ settings }: { readonly settings: Settings }): Module => ({
  name: 'reference',
  problems: {},
  routes: [listCurrenciesRoute, getAssetsBaseUrlRoute(settings.baseUrl)],
});
