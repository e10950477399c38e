/** Words of a list separated by blanks. */
export const setOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** How to skip a command that only starts another one. */
export interface Wrapper {
  /** Its options that take the next word as their value. */
  readonly valued: ReadonlySet<string>;
  /** Words of its own before the command: the time of `timeout 60`. */
  readonly skip: number;
}

/** For each: options that take a value, and after `+` the number of words before the command. */
export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(
  `sudo: -u -g -h -p -C -r -t -D -R -T -U
   doas: -u -C
   env: -u -C --unset --chdir
   time: -f -o
   timeout: -k -s --kill-after --signal + 1
   gtimeout: -k -s --kill-after --signal + 1
   nice: -n --adjustment
   ionice: -c -n
   nohup:
   setsid:
   stdbuf: -i -o -e
   exec: -a
   command:
   builtin:
   unbuffer:
   xvfb-run: -s -n -e -f -p -w --server-args
   xargs: -n -P -I -L -d -s -a -E
   strace: -e -o -p
   cross-env:
   dotenv: -e -f
   npx: -p --package
   pnpx:
   bunx:
   uvx: --from --with --python -p
   pipx run: --spec
   nyc:
   c8:
   npm exec: -p --package -w --workspace
   npm x: -p --package -w --workspace
   pnpm exec:
   pnpm dlx: --package
   yarn exec:
   yarn dlx: -p
   poetry run:
   pipenv run:
   uv run: --with --python -p --extra --group --directory --project --env-file --with-requirements --package
   conda run: -n -p --name --prefix --cwd
   bundle exec:
   mise exec:
   direnv exec: + 1
   docker run: -e -v -w -u -p -l -h -m --env --env-file --volume --workdir --user --name --network --entrypoint --mount --platform + 1
   docker exec: -e -w -u --env --workdir --user + 1
   docker-compose run: -e -v -w -u -p -l --env --volume --workdir --user --name --entrypoint + 1
   docker-compose exec: -e -w -u --env --workdir --user --index + 1
   kubectl exec: -n -c --namespace --container + 1`
    .split('\n')
    .map((line): [string, Wrapper] => {
      const [name = '', options = ''] = line.trim().split(/:(?: |$)/);
      const [valued = '', skip = '0'] = options.split('+');
      return [name, { valued: setOf(valued), skip: Number(skip) }];
    }),
);

/** Options that take a value and may stand before a program's first word: `npm --prefix web test`. */
export const BEFORE: Readonly<Record<string, ReadonlySet<string>>> = {
  npm: setOf('--prefix -C -w --workspace'),
  pnpm: setOf('-C --dir --filter -F'),
  yarn: setOf('--cwd'),
  bun: setOf('--cwd --filter'),
  git: setOf('-C -c --git-dir --work-tree'),
  make: setOf('-C -f -I -o -W --directory --file'),
  cargo: setOf('--manifest-path -p --package -C'),
  go: setOf('-C'),
  docker: setOf('-H --context -l'),
  'docker-compose': setOf('-f --file -p --project-name --profile --env-file --project-directory'),
  kubectl: setOf('-n --namespace --context --kubeconfig'),
  ninja: setOf('-C -f -j -k -l'),
  mvn: setOf('-f -pl -P -s --file --projects'),
  gradle: setOf('-p --project-dir -b -c'),
  poetry: setOf('-C --directory -P --project'),
  uv: setOf('--directory --project'),
  turbo: setOf('--filter -F --cwd'),
  python: setOf('-W -X'),
  node: setOf('-r --require --import --loader -C'),
};

export const ALIASES: Readonly<Record<string, string>> = {
  gradlew: 'gradle',
  mvnw: 'mvn',
  nodejs: 'node',
  pypy: 'python',
  py: 'python',
  gmake: 'make',
  podman: 'docker',
  'podman-compose': 'docker-compose',
};
