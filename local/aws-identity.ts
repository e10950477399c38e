import { SQSClient } from '@aws-sdk/client-sqs';

/** The AWS principal of this machine, as the SDK's default chain finds it: environment, profile, SSO, and so on. */
export const awsIdentity = () => new SQSClient({}).config;
