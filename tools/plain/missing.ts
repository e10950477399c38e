/**
 * What went wrong when a module was loaded; of a package that an entry needs beside this one, and that is not there, a sentence that says
 * what to do. In a deployment its synthesis says so (`infra/bundle/peers.ts`).
 */
export const orMissing = (error: unknown, name: string, entry: string): unknown =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'ERR_MODULE_NOT_FOUND' &&
  error.message.includes(`'${name}'`)
    ? new Error(`${entry} needs the package ${name}: npm install ${name}`)
    : error;
