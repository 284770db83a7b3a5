import { replayMeaning } from './replay-meaning'

replayMeaning('mariadb')
