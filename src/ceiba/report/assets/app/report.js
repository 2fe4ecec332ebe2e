// Entry of a report without the Trust tab.

import { showFailure } from "../page/frame.js";
import { start } from "./app.js";

start(null).catch(showFailure);
