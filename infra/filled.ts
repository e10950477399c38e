/** The values of a template as CloudFormation will fill them in: right in length, for limits that count characters. */

/** The facts of a stack that are known before it exists. */
export interface Known {
  readonly stackName: string;
  /** The type of a resource by its logical id. */
  typeOf(id: string): string | undefined;
}

/** A long name of a region. */
const REGION = 'ap-southeast-2';
const ACCOUNT = '123456789012';
/** Random characters in a name that CloudFormation makes. */
const RANDOM = 'ABCDEFGHIJKL';
/** For what only the deploy knows: an imported value, a parameter. */
const UNKNOWN = 'x'.repeat(100);

/** The value without intrinsic functions. */
export function filled(value: unknown, known: Known): unknown {
  if (Array.isArray(value)) return value.map((one) => filled(one, known));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [[name, argument] = ['', undefined]] = entries;
  if (entries.length === 1 && (name === 'Ref' || name.startsWith('Fn::')))
    return intrinsic(name, filled(argument, known), known);
  return Object.fromEntries(entries.map(([key, one]) => [key, filled(one, known)]));
}

function intrinsic(name: string, argument: unknown, known: Known): unknown {
  if (name === 'Ref') return referenced(String(argument), known);
  if (!Array.isArray(argument)) return UNKNOWN;
  const [first, second] = argument;
  switch (name) {
    case 'Fn::GetAtt':
      return attributeOf(String(first), String(second), known);
    case 'Fn::Join':
      return (second as unknown[]).join(String(first));
    case 'Fn::Split':
      return String(second).split(String(first));
    case 'Fn::Select':
      return (second as unknown[])[Number(first)];
    default:
      return UNKNOWN;
  }
}

function referenced(id: string, known: Known): string {
  switch (id) {
    case 'AWS::Region':
      return REGION;
    case 'AWS::AccountId':
      return ACCOUNT;
    case 'AWS::Partition':
      return 'aws';
    case 'AWS::URLSuffix':
      return 'amazonaws.com';
    case 'AWS::StackId':
      return `${arn('cloudformation', `stack/${known.stackName}`)}/${'0'.repeat(36)}`;
    default:
      break;
  }
  switch (known.typeOf(id)) {
    case 'AWS::SQS::Queue':
      return `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${named(id, 80, known)}`;
    case 'AWS::SecretsManager::Secret':
      return arn('secretsmanager', `secret:${id}-${RANDOM}-abcdef`);
    case 'AWS::S3::Bucket':
      return named(id, 63, known);
    case 'AWS::ApiGatewayV2::Api':
      return 'abcdefghij';
    case undefined:
      return UNKNOWN;
    default:
      return named(id, 64, known);
  }
}

function attributeOf(id: string, attribute: string, known: Known): string {
  if (attribute === 'ApiEndpoint') return `https://abcdefghij.execute-api.${REGION}.amazonaws.com`;
  if (attribute !== 'Arn') return named(id, 64, known);
  switch (known.typeOf(id)) {
    case 'AWS::SQS::Queue':
      return arn('sqs', named(id, 80, known));
    case 'AWS::S3::Bucket':
      return `arn:aws:s3:::${named(id, 63, known)}`;
    case 'AWS::DynamoDB::Table':
      return arn('dynamodb', `table/${named(id, 255, known)}`);
    default:
      return arn('lambda', `function:${named(id, 64, known)}`);
  }
}

const arn = (service: string, name: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${name}`;

/** The name that CloudFormation makes. It shortens the stack's name and the logical id. */
const named = (id: string, most: number, { stackName }: Known): string =>
  `${stackName}-${id}-${RANDOM}`.slice(-most);
