/** The settings of operators for all nodes (bans, tokens, users, rules), in replicated records of the dist store. */
@NullMarked
package io.godwit.broker.records;

import org.jspecify.annotations.NullMarked;
