@NullMarked
package io.godwit.broker.config;

import org.jspecify.annotations.NullMarked;
