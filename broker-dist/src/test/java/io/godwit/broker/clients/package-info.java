@NullMarked
package io.godwit.broker.clients;

import org.jspecify.annotations.NullMarked;
