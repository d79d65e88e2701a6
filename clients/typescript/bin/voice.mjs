#!/usr/bin/env node
// npm links what is there when it installs; the command itself is built after that.
import '../dist/cli/main.js';
