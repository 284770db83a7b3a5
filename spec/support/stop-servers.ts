export { stopServers as default } from './servers'
