import { App, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Steploop } from 'steploop/cdk';

const app = new App();
const stack = new Stack(app, 'Shop');
const orders = new Bucket(stack, 'Orders');
const vault = new Bucket(stack, 'Vault');
const agents = new Steploop(stack, 'Agents', {
  definition: './steploop.config.ts',
  settings: { ORDERS_BUCKET: orders.bucketName, VAULT_BUCKET: vault.bucketName },
});
orders.grantReadWrite(agents.tools);
