// A report without checks of trust.

import { showFailure } from "../page/frame.js";
import { start } from "./app.js";

start(null).catch(showFailure);
