import { blobKey } from '../../shared/agent/plain/blob-key.ts';
import { uploadsPrefix } from '../../shared/contract/env.ts';

/** Where the bytes of an upload lie until a message takes it over. */
export const keyOfUpload = (tenant: string, id: string): string => blobKey(uploadsPrefix, tenant, id);
