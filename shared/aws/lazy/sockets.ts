/** What is used of API Gateway's `@connections`, in one module: see `secrets-manager.ts`. */
export {
  ApiGatewayManagementApiClient,
  GoneException,
  LimitExceededException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
