/** The used parts of the MCP client. It is large, so only code that speaks with a server imports it. */
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
