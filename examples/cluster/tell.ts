import { tell } from './control'

const [verb = '', name = 'standby'] = process.argv.slice(2)

tell([verb, name]).then(
  (said) => process.stdout.write(`${said}\n`),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 1
  },
)
