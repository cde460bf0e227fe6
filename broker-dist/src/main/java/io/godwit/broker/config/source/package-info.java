/** Where values of a configuration come from: the YAML file and the environment. */
@NullMarked
package io.godwit.broker.config.source;

import org.jspecify.annotations.NullMarked;
