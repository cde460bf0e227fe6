@NullMarked
package io.godwit.broker.messages;

import org.jspecify.annotations.NullMarked;
