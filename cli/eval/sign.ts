import type { ModelServerOptions } from '../../shared/models/models.ts';

/**
 * Signs requests to Bedrock with the AWS credentials of this machine, for servers without a secret. The code is loaded with
 * the first such request.
 */
export const signHere: NonNullable<ModelServerOptions['sign']> = async (request) => {
  const [{ modelRequestSigner }, { awsIdentity }] = await Promise.all([
    import('../../shared/models/bedrock/sign.ts'),
    import('../../local/aws-identity.ts'),
  ]);
  return modelRequestSigner(awsIdentity())(request);
};
