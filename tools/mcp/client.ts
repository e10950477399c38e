/** What is used of the MCP client: the largest part of it, which nothing imports but what speaks with a server. */
export {
  Client,
  discoverAuthorizationServerMetadata,
  fetchToken,
  OAuthError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  UnsupportedProtocolVersionError,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
