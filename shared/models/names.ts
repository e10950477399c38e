/** The names under which a model may stand in a price table, given the name its server uses. */

/** Prefixes that routers and clouds put before a model's own name: where it runs, and who made it. */
const ROUTE = /^(?:[a-z0-9_.-]+\/)+/i;
const REGION = /^(?:us-gov|us|eu|apac|jp|au|ca|sa|me|af|global)\./;
const VENDOR =
  /^(?:ai21|amazon|anthropic|cohere|deepseek|google|luma|meta|minimax|mistral|moonshot|nvidia|openai|qwen|stability|twelvelabs|writer|zai)\./;
const ARN = /^arn:[^/]*\//;

/**
 * The names to look up, in order: as given, without prefixes, and then shorter part by part, because dated and numbered
 * releases cost what their model costs. `cloud` marks Amazon Bedrock's models.
 */
export function namesOf(model: string): { readonly name: string; readonly cloud: boolean }[] {
  const bare = model.replace(ARN, '').replace(ROUTE, '');
  const cloud = bare.replace(REGION, '');
  const own = cloud.replace(VENDOR, '');
  const names = [model, bare, cloud, own, ...prefixesOf(own)];
  return [...new Set(names)].map((name) => ({
    name,
    cloud: own !== bare && VENDOR.test(name.replace(REGION, '')),
  }));
}

/** For `a-b-1.2` the prefixes `a-b-1`, `a-b` and `a`, longest first: a part is never cut in the middle. */
function prefixesOf(name: string): string[] {
  const ends = [...name.matchAll(/[-.:@_]/g)].map(({ index }) => index);
  return ends.reverse().map((end) => name.slice(0, end));
}
