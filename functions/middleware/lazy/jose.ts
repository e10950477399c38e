/** What is used of jose, in one module: a dynamic import of the package itself would keep all of it. */
export { createRemoteJWKSet, errors, jwtVerify } from 'jose';
