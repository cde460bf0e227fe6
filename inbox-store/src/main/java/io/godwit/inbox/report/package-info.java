/**
 * Events and meters for operators, about stored sessions and about waits for other nodes. Leaders and carriers call it;
 * it calls neither.
 */
@NullMarked
package io.godwit.inbox.report;

import org.jspecify.annotations.NullMarked;
