/** What is used of the MCP client, as a module of its own: an agent that calls no such tool in a step reads none of it. */
export {
  Client,
  discoverAuthorizationServerMetadata,
  fetchToken,
  OAuthError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  UnsupportedProtocolVersionError,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
