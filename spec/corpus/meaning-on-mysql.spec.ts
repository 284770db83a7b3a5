import { replayMeaning } from './replay-meaning'

replayMeaning('mysql')
