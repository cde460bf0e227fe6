/** Configuration files of other brokers, turned into one of this broker. Nothing is changed but what is written. */
@NullMarked
package io.godwit.broker.conversion;

import org.jspecify.annotations.NullMarked;
