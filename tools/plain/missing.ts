/**
 * The error of loading a module; if an entry's peer package is missing, a sentence that says what to install. In a
 * deployment the synthesis reports it (`infra/bundle/peers.ts`).
 */
export const orMissing = (error: unknown, name: string, entry: string): unknown =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'ERR_MODULE_NOT_FOUND' &&
  error.message.includes(`'${name}'`)
    ? new Error(`${entry} needs the package ${name}: npm install ${name}`)
    : error;
