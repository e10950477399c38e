/** Re-exports the parts of jose that are used, because a dynamic import of the package itself would bundle all of it. */
export { createRemoteJWKSet, errors, jwtVerify } from 'jose';
