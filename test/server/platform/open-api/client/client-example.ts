// The example program of docs/reference/open-api.md for the typed client; only the import differs.

import { createOpenApiClient, OpenApiError } from "../../../../../server/platform/open-api/client/client.ts";

export async function example(baseUrl: string, key: string): Promise<readonly string[]> {
  const api = createOpenApiClient({ baseUrl, key, fetch });
  const { uuid } = await api.createDashboard({ body: { name: "CPU", tagNames: ["host"] } });
  await api.modifyDashboard({ ids: { dashboard: uuid }, body: { desc: "of all hosts" } });
  const { content, pageInfo } = await api.listDashboards({ query: { search: "cpu", pageSize: 10 } });
  await api.deleteDashboard({ ids: { dashboard: uuid } });
  try {
    await api.getDashboard({ ids: { dashboard: uuid } });
  } catch (error) {
    if (!(error instanceof OpenApiError) || error.errorCode !== "ObjectNotFound") throw error;
  }
  return [`${pageInfo.totalCount} dashboards`, ...content.map(({ name }) => name)];
}
