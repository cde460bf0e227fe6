/** What can be done to nodes from outside: their processes, the links between them and their disks. */
@NullMarked
package io.godwit.it.kv.fault;

import org.jspecify.annotations.NullMarked;
