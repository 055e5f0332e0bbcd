//! A job of Windows.

use core::time::Duration;
use std::io;
use std::os::windows::io::AsRawHandle;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use win32job::{ExtendedLimitInfo, Job};

use super::exit::Exit;

/// Time for which the processes that a process leaves running may still write before they are ended.
const LINGER: Duration = Duration::from_millis(200);

/// A job with the process and every process that it starts. Closing the handle of the job kills them, and the system
/// closes the handle when this program ends in whatever way.
#[derive(Debug)]
pub(super) struct Group {
    job: Arc<Mutex<Option<Job>>>,
}

impl Group {
    pub(super) fn start(command: &mut Command) -> io::Result<Child> {
        command.spawn()
    }

    /// The job of a process that was just started, and the function by which a thread waits for its exit.
    pub(super) fn of(mut child: Child) -> io::Result<(Self, impl FnOnce(&Exit) + Send + 'static)> {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let joined = Job::create_with_limit_info(&limits).and_then(|job| {
            job.assign_process(child.as_raw_handle() as isize)?;
            Ok(job)
        });
        let job = match joined {
            Ok(job) => Some(job),
            // A process that has already exited joins no job.
            Err(_) if child.try_wait()?.is_some() => None,
            Err(error) => {
                let _ = child.kill();
                return Err(error.into());
            }
        };
        let job = Arc::new(Mutex::new(job));
        let group = Self { job: Arc::clone(&job) };
        let wait = move |exit: &Exit| {
            exit.set(child.wait());
            thread::sleep(LINGER);
            lock(&job).take();
        };
        Ok((group, wait))
    }

    /// Windows has no signal that asks a process to end.
    pub(super) fn ask_to_end(&self) -> bool {
        false
    }

    pub(super) fn kill(&self) {
        lock(&self.job).take();
    }

    /// Whether any process of the job still runs.
    pub(super) fn has_members(&self) -> bool {
        let job = lock(&self.job);
        let members = job.as_ref().map(Job::query_process_id_list);
        members.is_some_and(|members| members.is_ok_and(|members| !members.is_empty()))
    }

    /// Windows has no zombies.
    pub(super) fn reap(&self) {}
}

fn lock(job: &Mutex<Option<Job>>) -> MutexGuard<'_, Option<Job>> {
    job.lock().unwrap_or_else(PoisonError::into_inner)
}
