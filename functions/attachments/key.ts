import { blobKey } from '../../shared/agent/plain/blob-key.ts';
import { uploadsPrefix } from '../../shared/contract/env.ts';

/** The blob key under which an upload lies until a message takes it over. */
export const keyOfUpload = (tenant: string, id: string): string => blobKey(uploadsPrefix, tenant, id);
