// Entry of a report with the Trust tab.

import { showFailure } from "../page/frame.js";
import { nodeTrust, trustPanel } from "../trust/trust.js";
import { start } from "./app.js";

start({ panel: trustPanel, ofNode: nodeTrust }).catch(showFailure);
