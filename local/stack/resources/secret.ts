import { physicalName } from '../identity.ts';
import { generateSecretText, type SecretRecipe } from '../services/secret-text.ts';
import type { Created, Site } from '../site.ts';
import { type Declared, nested, optionalText } from '../template/properties.ts';

/** AWS::SecretsManager::Secret, with a given or a generated value. `Ref` is its ARN. No rotation, no encryption. */
export function createSecret(item: Declared, site: Site): Created {
  const name = optionalText(item, 'Name') ?? physicalName(site.stackName, item.id, 512);
  const given = optionalText(item, 'SecretString');
  const recipe = nested(item, 'GenerateSecretString').properties as SecretRecipe;
  const declaration = JSON.stringify([given, recipe]);
  const arn = site.secrets.declare(name, declaration, () => given ?? generateSecretText(recipe));
  return { ref: arn, attributes: { Id: arn } };
}
