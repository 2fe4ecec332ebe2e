// Entry of a report with the Trust tab or with survival curves.

import { showFailure } from "../page/frame.js";
import { addCurves } from "../trust/survival_chart.js";
import { nodeTrust, trustPanel } from "../trust/trust.js";
import { start } from "./app.js";

addCurves();
start({ panel: trustPanel, ofNode: nodeTrust }).catch(showFailure);
