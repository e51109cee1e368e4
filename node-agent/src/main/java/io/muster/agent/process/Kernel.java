package io.muster.agent.process;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** The system calls that Java has no method for. */
public final class Kernel {

    public static final int TERMINATE = 15;
    public static final int KILL = 9;

    private static final int O_NOFOLLOW = System.getProperty("os.arch").equals("aarch64") ? 0x8000 : 0x20000;
    private static final int O_RDWR_NONBLOCK_CLOEXEC = 2 | 0x800 | 0x80000;
    private static final int KEEP_SIZE_PUNCH_HOLE = 1 | 2;
    private static final int PR_SET_CHILD_SUBREAPER = 36;
    private static final int WNOHANG = 1;

    private final MethodHandle kill;
    private final MethodHandle open;
    private final MethodHandle fallocate;
    private final MethodHandle close;
    private final MethodHandle prctl;
    private final MethodHandle waitpid;

    public Kernel() {
        Linker linker = Linker.nativeLinker();
        kill = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("kill"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        open = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("open"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
                Linker.Option.firstVariadicArg(2));
        fallocate = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("fallocate"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG));
        close = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("close"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        prctl = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("prctl"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG),
                Linker.Option.firstVariadicArg(1));
        waitpid = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("waitpid"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    }

    /** From now on orphans below this process become its own children; false if the kernel does not do that. */
    public boolean adoptOrphans() {
        try {
            return (int) prctl.invokeExact(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) == 0;
        } catch (Throwable bug) {
            throw new IllegalStateException(bug);
        }
    }

    /** Takes an ended child out of the process table; only for children that Java has not started, it waits for those. */
    public void reap(long pid) {
        if (pid < 2) {
            throw new IllegalArgumentException("pid " + pid);
        }
        try {
            int ignored = (int) waitpid.invokeExact(Math.toIntExact(pid), MemorySegment.NULL, WNOHANG);
        } catch (Throwable bug) {
            throw new IllegalStateException(bug);
        }
    }

    /** Sends a signal to one process; pids below 2 would mean others and are a bug. */
    public void signal(long pid, int signal) {
        if (pid < 2) {
            throw new IllegalArgumentException("pid " + pid);
        }
        invokeKill(Math.toIntExact(pid), signal);
    }

    /** Sends a signal to every process of a group at once. */
    public void signalGroup(long group, int signal) {
        if (group < 2) {
            throw new IllegalArgumentException("group " + group);
        }
        invokeKill(-Math.toIntExact(group), signal);
    }

    private void invokeKill(int target, int signal) {
        try {
            int ignored = (int) kill.invokeExact(target, signal);
        } catch (Throwable bug) {
            throw new IllegalStateException(bug);
        }
    }

    /** Gives the blocks of a range of a file back to the disk; offsets stay as they are. False if not possible here. */
    public boolean punch(Path file, long offset, long length) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(file.toString());
            int descriptor = (int) open.invokeExact(name, O_RDWR_NONBLOCK_CLOEXEC | O_NOFOLLOW, 0);
            if (descriptor < 0) {
                return false;
            }
            int result = (int) fallocate.invokeExact(descriptor, KEEP_SIZE_PUNCH_HOLE, offset, length);
            int closed = (int) close.invokeExact(descriptor);
            return result == 0 && closed == 0;
        } catch (Throwable bug) {
            throw new IllegalStateException(bug);
        }
    }
}
