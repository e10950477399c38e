/**
 * `npm run check:keys`
 *
 * A key from outside may be `constructor` or `__proto__`, which plain indexing finds in every object. So a record is read with `own()` where its
 * key is any text. The types say where that is not so; the places below index by names that we or the deployment have given.
 */

import { relative } from 'node:path';
import ts from '@typescript/typescript6';
import { optionsOf } from '../test/support/command-line.ts';

const known: Readonly<Record<string, readonly string[]>> = {
  'functions/console/page.ts': ["types[name.slice(name.lastIndexOf('.') + 1)]"],
  'functions/middleware/authorize.ts': ["headers[name ?? '']"],
  'functions/middleware/oidc.ts': ['claims[tenantClaim]', 'claims[rolesClaim]', 'claims[name]'],
  'functions/ports/declared.ts': ['urls[name]', 'ids[name]'],
  'local/assembly-cache.ts': ['now[path]'],
  'local/deployed.ts': ["stack.outputs[deployed.outputs[name] ?? '']", 'deployed.secrets[name]'],
  'local/model/choose.ts': ['models[name]', 'given.secrets[secret]', 'given.urls?.[name]'],
  'local/model/fitting.ts': ['properties[name]', 'input[name]', 'named[name]'],
  'local/model/object.ts': ["named?.[schema.$ref.replace('#/$defs/', '')]"],
  'local/secrets.ts': ['values[name]'],
  'local/slack/emulated/acting.ts': ['users[user]'],
  'local/slack/emulated/events.ts': ['users[user]'],
  'local/slack/emulated/start.ts': ['users[user]'],
  'local/slack/emulated/writing.ts': ['users[user]'],
  'local/slack/room/server.ts': ['files[path]'],
  'local/stack/build.ts': [
    'resources[id]',
    'pseudo[name]',
    'parameters[name]',
    'created.get(logicalId)?.attributes[name]',
  ],
  'local/stack/events/rate.ts': ["UNITS[match?.[2] ?? '']"],
  'local/stack/gateway/connections-endpoint.ts': ["OPERATIONS[request.method ?? '']"],
  'local/stack/gateway/routes.ts': ['found[segment.slice(1, -2)]', 'found[segment.slice(1, -1)]'],
  'local/stack/gateway/socket-event.ts': ['(value as Record<string, unknown>)[key]'],
  'local/stack/iam/policy.ts': [
    'CONTEXT[name]',
    'wanted.context?.[name]',
    'OPERATORS[forAll ? name.slice(FOR_ALL.length) : name]',
  ],
  'local/stack/iam/signature.ts': ['request.headers[name]'],
  'local/stack/iam/wanted.ts': ['objectOf(Key ?? Item)[name]', 'actions[method]'],
  'local/stack/lambda/worker.ts': ['loaded[start.exportName]', 'loaded.default?.[start.exportName]'],
  'local/stack/new-site.ts': ['options.ports?.[id]'],
  'local/stack/resources/cors.ts': ['item.properties[property]'],
  'local/stack/resources/registry.ts': ['EMULATED[item.type]', 'ACCEPTED[item.type]', 'NETWORK[item.type]'],
  'local/stack/resources/table.ts': ['table[kind]'],
  'local/stack/services/count-bytes.ts': ['item[AttributeName]'],
  'local/stack/services/remember-expressions.ts': [
    'attrVals[node.name]',
    'value[type]',
    'attrVals[lower]',
    'attrVals[upper]',
    'unusedAttrNames[name]',
    'unusedAttrVals[value]',
  ],
  'local/stack/template/conditions.ts': [
    'template.Conditions?.[String(name)]',
    'parameters[String(call.argument)]',
  ],
  'local/stack/template/intrinsics.ts': ['value[name]', 'variables[key]'],
  'local/stack/template/order.ts': ['resources[id]'],
  'local/stack/template/parameters.ts': ['given[name]', 'declared[name]'],
  'local/stack/template/properties.ts': ['item.properties[name]'],
  'local/stack/template/variables.ts': ['given[name]'],
  'local/stack/wire.ts': ['names[method]'],
  'shared/agent/entrypoints/answer.ts': ['(await later.settled(key, [id]))[id]'],
  'shared/agent/entrypoints/call.ts': ['(await later.settled(message, [message.waitId]))[message.waitId]'],
  'shared/agent/entrypoints/tell.ts': ['settled[id]'],
  'shared/agent/guardrails/context/injections.ts': ['untold[guard]'],
  'shared/agent/guardrails/judge.ts': ['slices[name]', 'unsaid[name]', 'slices[one.guard]'],
  'shared/agent/guardrails/loops/outcome.ts': ['value[key]'],
  'shared/agent/plain/explain.ts': ['shape[String(key)]'],
  'shared/agent/step/batch/awaiting.ts': ['(await io.later.settled(loaded.key, [id]))[id]'],
  'shared/agent/step/fold/shrinks.ts': ['after.metadata.guardrails[guard]'],
  'shared/agent/step/model/ask-sources.ts': ['sources[source.name]'],
  'shared/agent/tools/forms/loops.ts': ['mapSchemas({ [keyword]: value }, map)[keyword]', 'one[keyword]'],
  'shared/agent/tools/repairs/fits.ts': ['value[key]'],
  'shared/agent/tools/repairs/whole-input.ts': ['input[wrapper]'],
  'shared/agent/tools/schema/of-objects.ts': ['value[key]'],
  'shared/agent/tools/schema/of-values.ts': ['at.schema[flag]'],
  'shared/agent/tools/toolset.ts': ['sources[name]', 'sources[source.name]'],
  'shared/aws/config.ts': ['settings[name]', 'secretIds[name]'],
  'shared/aws/dynamo.ts': ['Responses?.[table]', 'UnprocessedKeys?.[table]'],
  'shared/aws/listings.ts': ['of[name]'],
  'shared/aws/sealed-dynamo.ts': ['values[value]', 'names[entry]'],
  'shared/memory/config.ts': ['settings[name]', 'secrets[name]'],
  'shared/contract/form/filled-in.ts': ['content[key]'],
  'shared/memory/copy.ts': ['(value as Record<string, unknown>)[key]', 'fresh[key]'],
  'shared/memory/transitions.ts': ['head.intents[id]'],
  'shared/models/anthropic/usage.ts': ['known[told]'],
  'shared/models/common/json.ts': ['value[key]'],
  'shared/models/common/usage.ts': ['usage[key]'],
  'shared/models/openai/billing.ts': ["TIERS[tier ?? '']"],
  'shared/telemetry/spans.ts': ['all[name]'],
  'testing/evals/scorers/calls.ts': ['(given as Record<string, unknown>)[key]'],
  'testing/rehearse.ts': ['rehearsal.tools?.[tool.name]'],
  'testing/watched-tools.ts': ['fakes?.[name]'],
  'tools/mcp/call.ts': ['inputResponses[key]'],
  'tools/mcp/read-tool.ts': ['hints[hint]'],
  'tools/plain/arguments.ts': ['read[own]'],
};

optionsOf(
  `npm run check:keys

Checks that records are indexed by texts only through own(), or in the places that are known.`,
  {},
);

const root = process.cwd();
const { fileNames, options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile('tsconfig.json', ts.sys.readFile).config,
  ts.sys,
  root,
);
const ours = fileNames.filter((name) =>
  /^(?:shared|functions|tools|local|web|testing)\//.test(relative(root, name)),
);
const program = ts.createProgram(ours, options);
const checker = program.getTypeChecker();
const found = new Map<string, Set<string>>();

for (const source of program.getSourceFiles())
  if (ours.includes(source.fileName)) look(relative(root, source.fileName), source);

const isKnown = (file: string, text: string) => (known[file] ?? []).includes(text);
const wrong = [
  ...[...found].flatMap(([file, texts]) =>
    [...texts]
      .filter((text) => !isKnown(file, text))
      .map((text) => `${file}: ${text} may find what every object has; use own()`),
  ),
  ...Object.entries(known).flatMap(([file, texts]) =>
    texts
      .filter((text) => !found.get(file)?.has(text))
      .map((text) => `${file}: ${text} is gone; remove it from the list`),
  ),
];
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exitCode = 1;
}

function look(file: string, node: ts.Node): void {
  if (ts.isElementAccessExpression(node) && isOpen(node) && !isGuarded(node)) {
    const places = found.get(file) ?? new Set();
    found.set(file, places.add(node.getText().replaceAll(/\s+/g, ' ')));
  }
  ts.forEachChild(node, (child) => look(file, child));
}

/** Whether any text may be the key of any property. */
function isOpen({ expression, argumentExpression }: ts.ElementAccessExpression): boolean {
  const record = checker.getNonNullableType(checker.getTypeAtLocation(expression));
  const isText = (checker.getTypeAtLocation(argumentExpression).flags & ts.TypeFlags.String) !== 0;
  return isText && checker.getIndexInfoOfType(record, ts.IndexKind.String) !== undefined;
}

/** Whether the same condition asks for the object's own key. */
function isGuarded(node: ts.Node): boolean {
  const condition = ts.findAncestor(node, ts.isConditionalExpression);
  return condition?.condition.getText().includes('Object.hasOwn(') ?? false;
}
