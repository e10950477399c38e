/** The parts of API Gateway's `@connections` client that are used, in one module: see `secrets-manager.ts`. */
export {
  ApiGatewayManagementApiClient,
  GoneException,
  LimitExceededException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
